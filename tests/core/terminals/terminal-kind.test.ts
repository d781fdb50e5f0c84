import { describe, expect, it } from 'vitest';
import { encodingOf } from '#core/lib/text/encodings.ts';
import { ServerInput, ServerPatch } from '#core/model/hosts/server.ts';
import { QuickTarget } from '#core/model/terminal.ts';
import { terminalOf } from '#core/terminals/terminal-kind.ts';

const SERVER = { name: 'a', hostname: 'a', username: 'a' };
const QUICK = { host: 'a', username: 'a' };

describe('The terminal of a server', () => {
  it('is xterm-256color in UTF-8 unless the server says otherwise', () => {
    expect(ServerInput.parse(SERVER)).toMatchObject({
      terminal_type: 'xterm-256color',
      terminal_encoding: 'utf-8',
    });
    expect(ServerPatch.parse({})).toEqual({});
    expect(terminalOf(QuickTarget.parse(QUICK))).toEqual({ type: 'xterm-256color', encoding: 'utf-8' });
  });

  it.each([
    ['GBK', 'gbk'],
    ['gb2312', 'gbk'],
    ['latin1', 'windows-1252'],
    ['Shift_JIS', 'shift_jis'],
    ['koi8-r', 'koi8-r'],
    ['UTF8', 'utf-8'],
  ])('takes the label %s of the WHATWG standard', (label, name) => {
    const { terminal_encoding } = ServerInput.parse({ ...SERVER, terminal_encoding: label });
    expect(terminal_encoding).toBe(label);
    expect(terminalOf({ terminal_encoding }).encoding).toBe(name);
    expect(QuickTarget.safeParse({ ...QUICK, terminal_encoding: label }).success).toBe(true);
  });

  it.each(['', 'klingon', 'utf-7', 'iso-2022-kr', 'replacement', 'gbk ', '__proto__'])(
    'refuses the encoding %j',
    (terminal_encoding) => {
      expect(ServerInput.safeParse({ ...SERVER, terminal_encoding }).success).toBe(false);
      expect(ServerPatch.safeParse({ terminal_encoding }).success).toBe(false);
      expect(QuickTarget.safeParse({ ...QUICK, terminal_encoding }).success).toBe(false);
      expect(encodingOf(terminal_encoding)).toBeUndefined();
    },
  );

  it.each(['', '-x', 'a b', 'a\n', '../x', '$(id)', 'x'.repeat(65)])(
    'refuses the terminal type %j',
    (terminal_type) => {
      expect(ServerInput.safeParse({ ...SERVER, terminal_type }).success).toBe(false);
      expect(ServerPatch.safeParse({ terminal_type }).success).toBe(false);
      expect(QuickTarget.safeParse({ ...QUICK, terminal_type }).success).toBe(false);
    },
  );
});
