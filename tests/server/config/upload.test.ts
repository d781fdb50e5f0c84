import { describe, expect, it } from 'vitest';
import { parseConfig } from '#server/config/config.ts';
import { ConfigError } from '#server/config/config-error.ts';

describe('SERVICE_MAX_UPLOAD_SIZE', () => {
  it.each([
    [undefined, 0],
    ['0', 0],
    ['1', 1],
    ['5368709120', 5_368_709_120],
    [String(Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER],
  ])('%s sets a limit of %s', (value, expected) => {
    const environment = value === undefined ? {} : { SERVICE_MAX_UPLOAD_SIZE: value };
    expect(parseConfig(environment).setting_values.max_upload_size).toBe(expected);
  });

  it.each(['-1', '1.5', '1e9', '5G', '9007199254740992', '99999999999999999999'])(
    '%s stops the start',
    (value) => {
      expect(() => parseConfig({ SERVICE_MAX_UPLOAD_SIZE: value })).toThrow(ConfigError);
    },
  );
});
