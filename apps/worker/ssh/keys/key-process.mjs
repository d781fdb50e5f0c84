// @ts-check
import { createPrivateKey } from 'node:crypto';

/**
 * @typedef {import('./key-processes.ts').Job} Job
 * @typedef {import('./key-processes.ts').Answer} Answer
 */

/**
 * Each blocks the process: a passphrase for OpenSSH is stretched in JavaScript, OpenSSL and Argon2 work in one native call.
 * @param {Job} job
 */
async function textOf(job) {
  switch (job.kind) {
    case 'openssh':
      return readOpenssh(job);
    case 'pem':
      return readPem(job);
    case 'bcrypt':
      return stretch(job);
    case 'argon2': {
      const { hashRawSync } = await import('@node-rs/argon2');
      return hashRawSync(job.passphrase, job.parameters).toString('base64');
    }
  }
}

/** @param {Extract<Job, { kind: 'bcrypt' }>} job */
async function stretch({ passphrase, salt, rounds, bytes }) {
  const { pbkdf } = await import('bcrypt-pbkdf');
  const secret = Buffer.from(passphrase);
  const hash = Buffer.alloc(bytes);
  const failed = pbkdf(secret, secret.length, salt, salt.length, hash, bytes, rounds);
  if (failed) throw new Error('The passphrase cannot be stretched');
  return hash.toString('base64');
}

/** @param {{ text: string, passphrase: string }} key */
async function readOpenssh({ text, passphrase }) {
  const { default: ssh2 } = await import('ssh2');
  const parsed = ssh2.utils.parseKey(text, passphrase);
  const key = Array.isArray(parsed) ? parsed[0] : parsed;
  if (!key || key instanceof Error) throw key ?? new Error('No key in the file');
  return key.getPrivatePEM();
}

/** @param {{ text: string, passphrase: string }} key */
function readPem({ text, passphrase }) {
  return createPrivateKey({ key: text, passphrase }).export({ type: 'pkcs8', format: 'pem' }).toString();
}

/**
 * @param {Job} job
 * @returns {Promise<Answer>}
 */
async function answerTo(job) {
  try {
    return { kind: 'text', text: await textOf(job) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    return { kind: 'failed', reason: String(error), code };
  }
}

// Runs until the gateway has read the answer and ends it, or until the gateway is gone.
process.on('message', async (/** @type {Job} */ job) => {
  process.send?.(await answerTo(job));
});
