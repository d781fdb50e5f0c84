import { describe, expect, it } from 'vitest';
import { describeConfig, parseConfig } from '#server/config/config.ts';
import { ConfigError } from '#server/config/config-error.ts';

const storeOf = (env: Record<string, string>) => parseConfig(env).recordings.store;
const BUCKET = { SERVICE_RECORDINGS_S3_BUCKET: 'casts' };
const KEYS = {
  SERVICE_RECORDINGS_S3_ACCESS_KEY_ID: 'AKID-of-a-test',
  SERVICE_RECORDINGS_S3_SECRET_ACCESS_KEY: 'secret-of-a-test',
};

describe('The recordings store', () => {
  it('is off without a bucket', () => {
    expect(storeOf({})).toBeUndefined();
  });

  it('is AWS without an endpoint, with the credentials of the SDK', () => {
    expect(storeOf(BUCKET)).toEqual({
      ...{ bucket: 'casts', endpoint: undefined, region: 'us-east-1', prefix: '', force_path_style: false },
      ...{ credentials: undefined, spool_max_bytes: 10_737_418_240 },
    });
  });

  it.each([
    [undefined, true],
    ['false', false],
  ])('at an endpoint has the bucket in its path, unless that is %s', (flag, expected) => {
    const env = { ...BUCKET, SERVICE_RECORDINGS_S3_ENDPOINT: 'https://s3.example.com' };
    const store = storeOf({ ...env, ...(flag ? { SERVICE_RECORDINGS_S3_FORCE_PATH_STYLE: flag } : {}) });
    expect(store).toMatchObject({ endpoint: 'https://s3.example.com', force_path_style: expected });
  });

  it.each([
    ['a', 'a/'],
    ['a/b/', 'a/b/'],
  ])('puts a slash after the prefix %s', (SERVICE_RECORDINGS_S3_PREFIX, prefix) => {
    expect(storeOf({ ...BUCKET, SERVICE_RECORDINGS_S3_PREFIX })).toMatchObject({ prefix });
  });

  it.each([
    { SERVICE_RECORDINGS_S3_ENDPOINT: 'https://s3.example.com' },
    { ...BUCKET, SERVICE_RECORDINGS_S3_ENDPOINT: 's3.example.com' },
    { ...BUCKET, SERVICE_RECORDINGS_S3_PREFIX: '../x' },
    { ...BUCKET, SERVICE_RECORDINGS_S3_PREFIX: '/x' },
    { ...BUCKET, SERVICE_RECORDINGS_S3_PREFIX: 'a//b' },
    { SERVICE_RECORDINGS_S3_BUCKET: 'a/b' },
    { ...BUCKET, SERVICE_RECORDINGS_S3_ACCESS_KEY_ID: 'only' },
    { ...BUCKET, SERVICE_RECORDINGS_S3_SECRET_ACCESS_KEY: 'only' },
  ])('refuses %j', (env) => {
    expect(() => storeOf({ ...env })).toThrow(ConfigError);
  });

  it('has its credentials masked', () => {
    const shown = describeConfig({ ...BUCKET, ...KEYS });
    expect(shown).toContain('SERVICE_RECORDINGS_S3_SECRET_ACCESS_KEY=********  # environment');
    expect(shown).toContain('SERVICE_RECORDINGS_S3_ACCESS_KEY_ID=********  # environment');
    expect(shown).not.toContain('of-a-test');
  });
});
