const LONGEST_NAME = 255;

/** Validates a host, user or alias; undefined when too long or with bidirectional controls (UAX #9). */
export function readName(text: string): string | undefined {
  return text.length <= LONGEST_NAME && !/\p{Bidi_Control}/u.test(text) ? text : undefined;
}
