import { createRoot } from 'solid-js';
import { describe, expect, it } from 'vitest';
import { createStepUpQuestion } from '../../../apps/web/account/step-up/question.ts';

describe('The question who holds the session', () => {
  function question() {
    return createRoot(() => createStepUpQuestion(() => 'a token'));
  }

  it('is asked once for several requests', async () => {
    const { ask, asked, answer } = question();
    const answers = [ask(performance.now()), ask(performance.now())];
    expect(asked()).toBe(true);
    answer(true);
    expect(await Promise.all(answers)).toEqual([true, true]);
    expect(asked()).toBe(false);
  });

  it('is not asked again for a request that was sent before the answer', async () => {
    const { ask, asked, answer } = question();
    const before = performance.now() - 1;
    answer(true);
    expect(await ask(before)).toBe(true);
    expect(asked()).toBe(false);
  });

  it('is asked again after it was canceled', async () => {
    const { ask, asked, answer } = question();
    const before = performance.now() - 1;
    answer(false);
    void ask(before);
    expect(asked()).toBe(true);
  });
});
