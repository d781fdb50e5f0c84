import { describe, expect, it } from 'vitest';
import { contextOf, MOST_CONTEXT } from '../../../apps/web/agent/context.ts';

const title = ({ kind }: { kind: string }) => `The ${kind}`;

describe('what is attached to a question', () => {
  it('is one text in which each part has its title', () => {
    const context = contextOf(
      [
        { kind: 'selection', text: 'df: 100%' },
        { kind: 'error', text: 'refused' },
      ],
      title,
    );
    expect(context).toBe('The selection:\ndf: 100%\n\nThe error:\nrefused');
  });

  it('is nothing if nothing is attached', () => {
    expect(contextOf([], title)).toBeUndefined();
  });

  it('keeps within the limit, and keeps the end of each', () => {
    const long = { kind: 'screen', text: `${'x'.repeat(60_000)}the end` } as const;
    for (const count of [1, 2, 3]) {
      const context = contextOf(Array(count).fill(long), title) ?? '';
      expect(context.length).toBeLessThanOrEqual(MOST_CONTEXT);
      expect(context.match(/the end/g)).toHaveLength(count);
    }
  });
});
