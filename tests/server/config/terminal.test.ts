import { describe, expect, it } from 'vitest';
import { parseConfig } from '#server/config/config.ts';
import { ConfigError } from '#server/config/config-error.ts';

describe('SERVICE_TERMINAL_LANG', () => {
  it.each([
    [undefined, 'C.UTF-8'],
    ['de_DE.UTF-8', 'de_DE.UTF-8'],
    ['none', undefined],
  ])('%s is sent to hosts as %s', (value, expected) => {
    const environment = value === undefined ? {} : { SERVICE_TERMINAL_LANG: value };
    expect(parseConfig(environment).terminals.lang).toBe(expected);
  });

  it.each(['C UTF-8', '$(id)', 'x'.repeat(65)])('%s stops the start', (value) => {
    expect(() => parseConfig({ SERVICE_TERMINAL_LANG: value })).toThrow(ConfigError);
  });
});
