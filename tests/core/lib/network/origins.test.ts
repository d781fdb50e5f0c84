import { describe, expect, it } from 'vitest';
import { isFrameAncestor, isOrigin, isSite } from '#core/lib/network/origins.ts';
import { settingComplaint } from '#core/model/settings/setting.ts';

const HOSTILE = [
  "https://a;script-src-elem https://evil.example 'self'",
  'https://a;sandbox',
  "https://a'unsafe-inline'",
  'https://a"b',
  'https://a`b',
  'https://a(b)',
  'https://a{b}',
  'https://a,b',
  'https://*.a.example;sandbox',
  'https://*.*.example',
  'https://[::1];sandbox',
  'https://a:80;sandbox',
  'https://a\n',
];

describe('A site in a header', () => {
  it.each([
    'https://a.example',
    'http://10.0.0.1:8080',
    'https://[2001:db8::1]:8443',
    'https://my_host',
    'https://xn--bcher-kva.example',
  ])('may be %s', (origin) => {
    expect([isOrigin(origin), isSite(origin, { wildcard: false }), isFrameAncestor(origin)]).toEqual([
      ...[true, true, true],
    ]);
  });

  it('may cover the subdomains of a domain where frames are concerned', () => {
    expect(isFrameAncestor('https://*.a.example:8443')).toBe(true);
    expect(isSite('https://*.a.example', { wildcard: true })).toBe(true);
    expect(isSite('https://*.a.example', { wildcard: false })).toBe(false);
  });

  it.each(HOSTILE)('cannot be %j, which would begin something else', (source) => {
    expect([isOrigin(source), isFrameAncestor(source)]).toEqual([false, false]);
    expect([isSite(source, { wildcard: false }), isSite(source, { wildcard: true })]).toEqual([false, false]);
  });

  it.each(['https://a;sandbox', "https://a'unsafe-inline'", "https://a;script-src-elem 'self'"])(
    '%s is refused as a setting',
    (source) => {
      expect(settingComplaint('frame_ancestors', source)).toMatch(/^Must be origins/);
      expect(settingComplaint('allowed_origins', source)).toMatch(/^Must be origins/);
    },
  );
});
