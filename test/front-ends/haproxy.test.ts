import { frontBehaviour } from './front-behaviour.ts';
import { startHaproxy } from './haproxy-front.ts';

frontBehaviour('HAProxy', startHaproxy);
