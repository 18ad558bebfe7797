/** Whether what was answered to a question with [y/N] is a yes. */
export function isYes(answer: string): boolean {
  return /^y(es)?$/i.test(answer.trim());
}
