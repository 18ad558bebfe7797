import { ApiError } from '../../../client/api-error.ts';

/** Which part of the command line a member of the call comes from. */
const FLAGS: readonly [member: RegExp, flag: string][] = [
  [/^match$/, '<match>'],
  [/^reason$/, '--reason'],
  [/^expiresAt$/, '--for or --until'],
  [/^limits\[\d+\]\.name$/, '--set name'],
  [/^limits\[\d+\]\.(limit|burst|mode)$/, '--$1 or --set $1'],
  [/^limits\b.*/, '--limit, --burst or --set'],
];

/** What Brume refuses is told in the words of the command line. */
export async function namingFlags<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    throw error instanceof ApiError ? inFlags(error) : error;
  }
}

function inFlags({ status, code, field, message }: ApiError): ApiError {
  const member = field ?? '';
  const [known, flag] = FLAGS.find(([pattern]) => pattern.test(member)) ?? [];
  const isConflict = code === 'conflict';
  const detail = isConflict ? message.replace('With replace ', 'With --replace ') : message;
  const at =
    known === undefined || flag === undefined || isConflict ? '' : `${member.replace(known, flag)}: `;
  return new ApiError({
    status,
    code,
    title: message,
    detail: at + detail,
    ...(field !== null && { field }),
  });
}
