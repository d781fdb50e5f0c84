const LONGEST_NAME = 255;

/** A host, user or alias; undefined when it is too long, or has what makes it read as another name (UAX #9). */
export function readName(text: string): string | undefined {
  return text.length <= LONGEST_NAME && !/\p{Bidi_Control}/u.test(text) ? text : undefined;
}
