import type { Guest } from '../guest.ts';
import { type LoadedGuest, loadedGuest } from './loaded-guest.ts';

/** How long an action is under load; the long form of the tests has more. */
const SECONDS = Number(process.env.TEST_LOAD_SECONDS ?? '10');

/** One on Redis and PostgreSQL, which stand beside it. */
export async function onSharedStores(guest: Guest, seconds = SECONDS): Promise<LoadedGuest> {
  const { databaseUrl, redisUrl } = await guest.startStores();
  return loadedGuest(guest, seconds, `BRUME_DATABASE_URL=${databaseUrl}\nBRUME_REDIS_URL=${redisUrl}\n`);
}

/** One that needs nothing else. */
export function onEmbeddedStores(guest: Guest, seconds = SECONDS): Promise<LoadedGuest> {
  return loadedGuest(guest, seconds);
}
