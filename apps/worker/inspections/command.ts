/** Nothing that any shell takes for more than a letter, quoted or not. */
const SAFE = /^[A-Za-z0-9@._:+=,/-]+$/;

/**
 * One command line (RFC 4254 §6.5) that first prints the marker on a line of its own: what stands before it comes from
 * start-up files, and without it something else has run. Throws for an argument with any other character; the quotes are a
 * second line of defence. No redirection: another shell may take one for something else and write a file.
 */
export function commandLine(marker: string, argv: readonly [string, ...string[]]): string {
  const unsafe = [marker, ...argv].find((word) => !SAFE.test(word));
  if (unsafe !== undefined)
    throw new Error('An argument of an inspection holds a character that is not allowed');
  return `echo ${marker}; ${argv.map((word) => `'${word}'`).join(' ')}`;
}

/** What comes after the marker; undefined without one. */
export function outputAfter(marker: string, output: string): string | undefined {
  const found = new RegExp(`${marker}\\r?\\n`).exec(output);
  return found ? output.slice(found.index + found[0].length) : undefined;
}
