const DOUBLE_SUFFIX = /(\.tar\.[a-z0-9]+)$/i;

/** `notes (2).txt` for the second `notes.txt`. A leading dot does not start a suffix. */
export function numberedName(name: string, number: number): string {
  const double = DOUBLE_SUFFIX.exec(name)?.[1];
  const dot = name.lastIndexOf('.');
  const suffix = double && double.length < name.length ? double : dot > 0 ? name.slice(dot) : '';
  return `${name.slice(0, name.length - suffix.length)} (${number})${suffix}`;
}
