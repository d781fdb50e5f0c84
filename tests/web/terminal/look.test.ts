import { describe, expect, it } from 'vitest';
import { createIconScan } from '../../../apps/web/terminal/pane/icons.ts';
import { runsOfSigns } from '../../../apps/web/terminal/pane/ligatures.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);

describe('Output has an icon', () => {
  it.each(['\ue0a0 main', 'a \uf015', '\u{f0001}'])('if it has a private use character: %j', (text) => {
    expect(createIconScan()(bytesOf(text))).toBe(true);
  });

  it('also if the character is split between two pieces', () => {
    const scan = createIconScan();
    const bytes = bytesOf('\uf015');
    expect(scan(bytes.subarray(0, 1))).toBe(false);
    expect(scan(bytes.subarray(1))).toBe(true);
  });

  it.each(['plain', 'ｆｕｌｌ', '漢字', '\u{1f3f4}\u{e0067}\u{e007f}', '\ufffd', '❯'])(
    'but not for other text: %j',
    (text) => {
      expect(createIconScan()(bytesOf(text))).toBe(false);
    },
  );
});

describe('Ligatures are looked for', () => {
  const found = (text: string) => runsOfSigns(text).map(([from, to]) => text.slice(from, to));

  it('in short runs of signs, not in rulers', () => {
    expect(found('a -> b != c === d - e')).toEqual(['->', '!=', '===']);
    expect(found('----------- == ***********')).toEqual(['==']);
  });
});
