import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Config, ConfigError } from './config.ts';

const MIN_LENGTH = 16;
const FIX = 'Set it to a long random text, for example the output of: openssl rand -base64 32';

export interface SecretKey {
  readonly secret_key: string;
  readonly warning?: string;
}

/** The secret gate: a real key, or on loopback (or by explicit wish) one kept in the data directory. */
export async function resolveSecretKey(config: Config): Promise<SecretKey> {
  const { secret_key, allow_insecure_secret } = config;
  if (secret_key !== undefined && secret_key.length >= MIN_LENGTH) return { secret_key };
  if (secret_key !== undefined) {
    if (!allow_insecure_secret)
      throw new ConfigError(`SERVICE_SECRET_KEY: must have at least ${MIN_LENGTH} characters. ${FIX}`);
    return { secret_key, warning: `SERVICE_SECRET_KEY is shorter than ${MIN_LENGTH} characters. ${FIX}` };
  }
  if (!allow_insecure_secret && !isLoopback(config.host)) {
    throw new ConfigError(
      `SERVICE_SECRET_KEY: must be set when the gateway listens on ${config.host}. ${FIX}`,
    );
  }
  const path = join(config.data_dir, 'secret.key');
  return {
    secret_key: await readOrCreate(path),
    warning: `SERVICE_SECRET_KEY is not set: using the random key kept in ${path}. ${FIX}`,
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** `wx`: of two instances that start at once in one directory, one writes and both read the same key. */
async function readOrCreate(path: string): Promise<string> {
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
  try {
    await writeFile(path, `${randomBytes(32).toString('base64')}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  const key = (await readFile(path, 'utf8')).trim();
  if (key.length < MIN_LENGTH)
    throw new ConfigError(`SERVICE_SECRET_KEY: the key kept in ${path} is damaged. ${FIX}`);
  return key;
}
