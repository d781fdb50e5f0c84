// @ts-check
import { createPrivateKey } from 'node:crypto';

/**
 * @typedef {import('./key-processes.ts').KeyTask} KeyTask
 * @typedef {import('./key-processes.ts').Answer} Answer
 */

/**
 * Each blocks the process: a passphrase for OpenSSH is stretched in JavaScript, OpenSSL and Argon2 work in one native call.
 * @param {KeyTask} task
 */
async function textOf(task) {
  switch (task.kind) {
    case 'openssh':
      return readOpenssh(task);
    case 'pem':
      return readPem(task);
    case 'bcrypt':
      return stretch(task);
    case 'argon2': {
      const { hashRawSync } = await import('@node-rs/argon2');
      return hashRawSync(task.passphrase, task.parameters).toString('base64');
    }
  }
}

/** @param {Extract<KeyTask, { kind: 'bcrypt' }>} task */
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
 * @param {KeyTask} task
 * @returns {Promise<Answer>}
 */
async function answerTo(task) {
  try {
    return { kind: 'text', text: await textOf(task) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    return { kind: 'failed', reason: String(error), code };
  }
}

// Runs until the gateway has read the answer and ends it, or until the gateway is gone.
process.on('message', async (/** @type {KeyTask} */ task) => {
  process.send?.(await answerTo(task));
});
