import { expect, it } from 'vitest';
import type { KeptOutput } from '#core/ports/keeper.ts';
import { replay } from '#core/recordings/replay.ts';

function written(kept: Omit<KeptOutput, 'bytes'> & { text: string }, from: number): string[] {
  const lines: string[] = [];
  const { text, ...rest } = kept;
  replay(
    {
      output: (bytes, at_ms) => void lines.push(`${at_ms} ${new TextDecoder().decode(bytes)}`),
      resize: ({ cols, rows }, at_ms) => void lines.push(`${at_ms} ${cols}x${rows}`),
    },
    { ...rest, bytes: new TextEncoder().encode(text) },
    from,
  );
  return lines;
}

const FIRST = { offset: 0, at_ms: 0, cols: 80, rows: 24 };

it('A recording is continued with the output it lacks, each piece at the time when it arrived', () => {
  const times = [
    { offset: 2, at_ms: 20 },
    { offset: 5, at_ms: 50 },
    { offset: 8, at_ms: 80 },
  ];
  expect(written({ offset: 0, text: '0123456789', sizes: [FIRST], times }, 4)).toEqual([
    '20 4',
    '50 567',
    '80 89',
  ]);
});

it('Sizes come between the output that was written for them', () => {
  const sizes = [
    FIRST,
    { offset: 6, at_ms: 60, cols: 100, rows: 30 },
    { offset: 10, at_ms: 90, cols: 120, rows: 40 },
  ];
  const times = [{ offset: 4, at_ms: 40 }];
  expect(written({ offset: 4, text: '456789', sizes, times }, 4)).toEqual([
    '40 45',
    '60 100x30',
    '40 6789',
    '90 120x40',
  ]);
});

it('Nothing is written when the recording has everything', () => {
  expect(written({ offset: 3, text: '345', sizes: [FIRST], times: [] }, 6)).toEqual([]);
});
