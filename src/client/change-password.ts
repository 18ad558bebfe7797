import { callApi, TIMEOUT_MS } from './call-api.ts';

/** Whose password it is, the one that they have, and the one to come. */
export interface PasswordChange {
  readonly login: string;
  readonly password: string;
  readonly newPassword: string;
}

/**
 * Changes a password on a management plane by a session of its own, which ends with it, as all other sessions
 * of the user do. Rejects as the calls of ApiClient do.
 */
export async function changePassword(
  url: string,
  { login, password, newPassword }: PasswordChange,
  timeoutMs = TIMEOUT_MS,
): Promise<void> {
  const signIn = { method: 'POST', path: '/v1/session', body: { login, password } } as const;
  const { token } = await callApi<{ readonly token: string }>({ url }, signIn, timeoutMs);
  const target = { url, headers: { authorization: `Bearer ${token}` } };
  try {
    const body = { password, newPassword };
    await callApi(target, { method: 'PUT', path: '/v1/session/password', body }, timeoutMs);
  } finally {
    // Whatever comes of it: nobody else has its token, and it would end by itself.
    await callApi(target, { method: 'DELETE', path: '/v1/session' }, timeoutMs).catch(() => undefined);
  }
}
