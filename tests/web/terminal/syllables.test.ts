import { describe, expect, it } from 'vitest';
import { drawsSyllables, syllablesIn } from '../../../apps/web/terminal/pane/syllables.ts';

const found = (text: string) => syllablesIn(text).map(([from, to]) => text.slice(from, to));

describe('A terminal draws a letter together with its spacing marks', () => {
  it('in every script, and leaves other text to its cells', () => {
    expect(found('ls हिन्दी ทำ ខ្មែរ கோ e\u0301 漢字 👍🏽')).toEqual(['हि', 'दी', 'ทำ', 'មែ', 'கோ']);
  });

  it('and looks for them from the first one on', () => {
    let joiners = 0;
    const onSpacingMark = drawsSyllables({ registerCharacterJoiner: () => ++joiners });
    expect(joiners).toBe(0);
    onSpacingMark();
    onSpacingMark();
    expect(joiners).toBe(1);
  });
});
