/** B43: how a client can write one path, so that a proxy or a program takes it for another. */
export const LOGIN_SPELLINGS = [
  '/login',
  '/login/',
  '//login',
  '/LOGIN',
  '/%6Cogin',
  '/./login',
  '/login?x=1',
  '/login;v=1',
] as const;
