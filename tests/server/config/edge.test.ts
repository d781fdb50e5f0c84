import { describe, expect, it } from 'vitest';
import { ConfigError } from '#server/config/config-error.ts';
import { parseEdgeConfig, unusedBindings } from '#server/config/edge-config.ts';

const BINDINGS = {
  SERVICE_DB_URL: 'postgres://db.test/sallyport',
  SERVICE_SECRET_KEY: 'a secret key of the tests, long enough',
  SERVICE_WORKER_URL: 'https://worker.test:8443/',
};

function refusal(bindings: Readonly<Record<string, unknown>>): string {
  try {
    parseEdgeConfig(bindings);
    return '';
  } catch (error) {
    return error instanceof ConfigError ? error.message : String(error);
  }
}

describe('The configuration of an edge', () => {
  it('has the values and defaults of a gateway', () => {
    const config = parseEdgeConfig({ ...BINDINGS, SERVICE_ROOT_PATH: '/ssh/', SERVICE_QUICK_CONNECT: 'no' });
    expect(config).toMatchObject({
      root_path: '/ssh',
      worker_url: 'https://worker.test:8443',
      quick_connect: false,
      verify_host_keys: true,
      demo_mode: false,
      log_level: 'info',
    });
  });

  it('leaves other bindings of the platform alone, and treats empty ones as unset', () => {
    expect(refusal({ ...BINDINGS, ASSETS: {}, SERVICE_ROOT_PATH: '', SERVICE_LOG_LEVEL: '' })).toBe('');
  });

  it.each([
    ['SERVICE_DB_URL', undefined, 'must be set for an edge'],
    ['SERVICE_DB_URL', './sallyport.db', 'must be postgres://…: an edge shares the database of its worker'],
    ['SERVICE_SECRET_KEY', undefined, 'must be set for an edge'],
    ['SERVICE_SECRET_KEY', 'short', /must have at least 16 characters/],
    ['SERVICE_WORKER_URL', undefined, 'must be set for an edge'],
    ['SERVICE_WORKER_URL', 'ftp://worker.test', /must be the origin of a gateway/],
    ['SERVICE_WORKER_URL', 'https://worker.test/path', /must be the origin of a gateway/],
    ['SERVICE_DEMO_MODE', 'perhaps', 'must be true or false'],
    ['SERVICE_ALLOWED_ORIGINS', 'a.example', /must be origins/],
    ['SERVICE_ALLOWED_ORIGINS', 'https://a;sandbox', /must be origins/],
    ['SERVICE_FRAME_ANCESTORS', "https://a;script-src-elem 'self'", /must be origins/],
  ])('refuses %s = %s by name', (name, value, message) => {
    const said = refusal({ ...BINDINGS, [name]: value });
    expect(said.startsWith(`${name}: `)).toBe(true);
    if (typeof message === 'string') expect(said).toBe(`${name}: ${message}`);
    else expect(said).toMatch(message);
  });

  it('names the variables that an edge does not use', () => {
    expect(unusedBindings({ ...BINDINGS, SERVICE_PROT: '1', OTHER: '1' })).toEqual(['SERVICE_PROT']);
  });
});
