/** A text for the first prompt of a terminal that is about to open. */
export interface FirstInput {
  /** Proposed without a line end, so that the user runs it, or sent as it is. */
  readonly how: 'propose' | 'send';
  readonly text: string;
}

const kept = new Map<string, FirstInput>();

/** Kept in memory only: a reload does not insert the text again. */
export function keepForPrompt(tab_id: string, input: FirstInput): void {
  kept.set(tab_id, input);
}

export function takeForPrompt(tab_id: string): FirstInput | undefined {
  const input = kept.get(tab_id);
  kept.delete(tab_id);
  return input;
}
