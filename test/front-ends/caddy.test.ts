import { startCaddy } from './caddy-front.ts';
import { frontBehaviour } from './front-behaviour.ts';

frontBehaviour('Caddy', startCaddy);
