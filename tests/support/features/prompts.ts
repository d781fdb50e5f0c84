import { expect, vi } from 'vitest';
import type { Frame, TerminalClient } from '../gateway/ws.ts';

/** What a terminal has been asked so far. */
export function promptsOf({ frames }: TerminalClient): Frame[] {
  return frames.filter(({ type }) => type === 'prompt');
}

/** The n-th question, once it is asked. */
export async function asked(terminal: TerminalClient, count = 1): Promise<Frame | undefined> {
  await vi.waitFor(() => expect(promptsOf(terminal).length).toBeGreaterThanOrEqual(count), {
    timeout: 60_000,
  });
  return promptsOf(terminal)[count - 1];
}

export function answer(terminal: TerminalClient, ...answers: string[]): void {
  terminal.send({ type: 'answer', answers });
}
