import { describe, expect, it } from 'vitest';
import { blocksOf } from '../../../apps/web/agent/markdown.ts';

const html = (markdown: string) => blocksOf(markdown).join('\n');

describe('the Markdown of an answer', () => {
  it('has paragraphs, lists, tables and code', () => {
    const shown = html(
      '# Disk\n\nFull: **/var**\n\n1. one\n2. two\n\n|a|b|\n|-|-|\n|1|2|\n\n```sh\ndf -h\n```',
    );
    for (const part of ['<h4>Disk</h4>', '<strong>/var</strong>', '<ol>', '<td>1</td>', '<code>df -h</code>'])
      expect(shown).toContain(part);
  });

  it('is split into blocks, so that a growing answer changes its last block alone', () => {
    const [first, second] = [blocksOf('One.\n\nTw'), blocksOf('One.\n\nTwo.')];
    expect(second).toHaveLength(2);
    expect(first[0]).toBe(second[0]);
  });

  it.each([
    '<img src="https://evil.example/x">',
    'a <script>alert(1)</script> b',
    'a <b><img src=x onerror=alert(1)></b>',
    '<script><img src=x onerror=alert(1)></script>',
    '<iframe src="//evil.example"></iframe>',
    '<svg onload=alert(1)>',
    '<style>*{background:url(//evil.example)}</style>',
    '<form action="//evil.example"><input></form>',
    '| <img src=x> |\n|-|\n| <svg/onload=1> |',
    '- <details open ontoggle=alert(1)>',
    '# <math><mtext></mtext></math>',
    '&lt;img src=x onerror=alert(1)&gt;',
    '```\n<img src=x onerror=alert(1)>\n```',
    '`<img src=x onerror=alert(1)>`',
    '<![CDATA[<img src=x>]]>',
    '<!-- --><img src=x>',
  ])('shows HTML as text: %s', (markdown) => {
    expect(html(markdown)).not.toMatch(/<\/?(img|script|iframe|svg|style|form|input|details|math|b)\b|<!/);
  });

  it.each([
    '![plan](https://evil.example/x.png)',
    '![plan][1]\n\n[1]: https://evil.example/x.png',
    '[![plan](https://evil.example/x.png)](javascript:alert(1))',
  ])('describes an image and does not fetch it: %s', (markdown) => {
    expect(html(markdown)).toContain('plan');
    expect(html(markdown)).not.toMatch(/img|evil/);
  });

  it.each([
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](&#106;avascript:alert(1))',
    '[x](java\tscript:alert(1))',
    '<javascript:alert(1)>',
    '[x](data:text/html,<b>)',
    '[x](vbscript:x)',
    '[x](file:///etc/passwd)',
    '[x](//evil.example/)',
    '[x](/api/auth/logout)',
    '[x](#/admin/users)',
    '[x](blob:https://evil.example/1)',
    'root@harbor.example',
    '[x][1]\n\n[1]: javascript:alert(1)',
  ])('links to web addresses only: %s', (markdown) => {
    expect(html(markdown)).not.toContain('<a ');
  });

  it.each([
    ['[the manual](https://evil.example/a?b=1)', '(evil.example)'],
    ['[https://good.example](https://evil.example)', '(evil.example)'],
    ['[x](https://good.example@evil.example:8443/)', '(evil.example:8443)'],
    ['https://good.example@evil.example/', '(evil.example)'],
    ['[bank](https://xn--80ak6aa92e.com)', '(xn--80ak6aa92e.com)'],
    ['[bank](https://аррӏе.com)', '(xn--80ak6aa92e.com)'],
  ])('names the host that %s leads to', (markdown, host) => {
    expect(html(markdown)).toContain(`<bdi>${host}</bdi>`);
  });

  it('does not repeat the host of a bare address', () => {
    expect(html('See https://docs.example/df')).toBe(
      '<p>See <a href="https://docs.example/df">https://docs.example/df</a></p>\n',
    );
  });

  it('keeps quotes inside attributes', () => {
    expect(html('[x](https://a.example/"onmouseover="alert(1))')).not.toMatch(/"onmouseover="/);
    expect(html('[x](https://a.example "t\\" onmouseover=\\"alert(1)")')).not.toContain('onmouseover');
  });

  it('drops characters that hide text or reverse it', () => {
    expect(html('`rm\u202e fr- \u200b\u0007/`')).toBe('<p><code>rm fr- /</code></p>\n');
  });

  it.each(['> ', '1. ', '_a', 'a**b', '[a](', '- a\n', '<', '~~a'])(
    'is read quickly, however often it repeats %j',
    (part) => {
      const before = process.cpuUsage();
      blocksOf(part.repeat(100_000 / part.length));
      expect(process.cpuUsage(before).user).toBeLessThan(8_000_000); // was 20 s, or too much recursion
    },
  );

  it('is plain text if it is very long', () => {
    expect(blocksOf('*a* '.repeat(40_000))).toEqual([expect.stringMatching(/^<pre><code>\*a\* /)]);
  });
});
