/** Whether what was answered to a question with [y/N] is a yes; the end of input is none. */
export function isYes(answer: string | null): boolean {
  return /^y(es)?$/i.test(answer?.trim() ?? '');
}
