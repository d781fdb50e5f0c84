type Form = 'NFC' | 'NFD' | 'NFKC' | 'NFKD';

export const LONGEST_FOLDED = 1024; // characters; longer text is no name

// Runs of marks take quadratic time. No language needs more than 30 (UAX #15, Stream-Safe Text Format).
const MARKS_WITHOUT_END = /\p{M}{31}/u;

/** Normalizes text of up to 1,024 characters; returns longer text, and text with endless marks, unchanged. */
export function normalized(text: string, form: Form = 'NFC'): string {
  return text.length > LONGEST_FOLDED || MARKS_WITHOUT_END.test(text) ? text : text.normalize(form);
}

/** Equal for texts that differ only in case and in how accents are encoded. */
export function fold(text: string, form: Form = 'NFC'): string {
  return normalized(text, form).toLowerCase();
}
