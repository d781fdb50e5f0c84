/** Names outside the WHATWG standard, and what other programs call those inside it. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['437', 'cp437'],
  ['ibm437', 'cp437'],
  ['850', 'cp850'],
  ['ibm850', 'cp850'],
  ['cp932', 'shift_jis'],
  ['cp936', 'gbk'],
  ['cp949', 'euc-kr'],
  ['cp950', 'big5'],
]);
const OWN = new Set(['cp437', 'cp850']);
/** In these, a byte of ASCII is not always its character. */
const UNUSABLE = new Set(['utf-16le', 'utf-16be', 'iso-2022-jp', 'replacement', 'x-user-defined']);

/** The one name of an encoding for names of files, such as `shift_jis` for `SJIS`; undefined if it is unknown. */
export function nameEncoding(label: string): string | undefined {
  const text = label.trim().toLowerCase();
  const name = ALIASES.get(text) ?? text;
  if (OWN.has(name)) return name;
  try {
    const { encoding } = new TextDecoder(name);
    return UNUSABLE.has(encoding) ? undefined : encoding;
  } catch {
    return undefined;
  }
}
