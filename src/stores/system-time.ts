/** For operations, which may not know the limiter. */
export { systemClock as systemTime } from '../limiter/clock.ts';
