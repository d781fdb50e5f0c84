// What a terminal sends without a key: each answers for itself, and only the owner's terminal may answer a program.
// Attributes, status, cursor position, modes, window size, images; focus; strings, such as colors and settings.
const STATUS = String.raw`\x1b\[[?>=]?[\d;]*(?:c|n|\$y|R|t)|\x1b\[\?[\d;]*[Su]`;
const ANSWER = String.raw`${STATUS}|\x1b\[[IO]|\x1b[\]P_][\s\S]*(?:\x07|\x1b\\)`;
const MOUSE = String.raw`\x1b\[<[\d;]+[Mm]|\x1b\[M[\s\S]{3}`;
const IS_ANSWER = new RegExp(`^(?:${ANSWER})$`);
const IS_REPORT = new RegExp(`^(?:${ANSWER}|${MOUSE})$`);
/** Shift, Alt and Ctrl with F3 look like the cursor position in the first row. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the key is a control sequence
const F3 = /^\x1b\[1;[2-8]R$/;

/** The answer to a program's query, or a change of focus. A cursor position that F3 could have sent does not count. */
export function isAnswer(data: string | Uint8Array): boolean {
  return typeof data === 'string' && IS_ANSWER.test(data) && !F3.test(data);
}

/** A terminal's own reports, which nobody typed; a click is one too. */
export function isReport(data: string): boolean {
  return IS_REPORT.test(data);
}
