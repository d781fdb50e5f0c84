import { randomBytes } from 'node:crypto';
import { Fault } from '#core/errors.ts';
import { joinPath } from '#core/lib/paths/posix-path.ts';
import type { SftpChannel } from './channel.ts';
import type { Refusals } from './host-memory.ts';
import { isUnsupported } from './status.ts';

const NONE: Refusals = { rename: false, remove: false, mkdir: false };

/** Whether the host refuses what a read-only SFTP server refuses (`internal-sftp -R`). */
export function refusesWrites({ rename, remove, mkdir }: Refusals): boolean {
  return rename && remove && mkdir;
}

/** Asked once per connection, with requests that cannot change anything. */
export function refusalsOf(channel: SftpChannel, directory: string): Promise<Refusals> {
  const { memory } = channel;
  if (memory.refusals !== undefined) return memory.refusals;
  const asked = ask(channel, directory).then((found) => {
    if (!found) memory.refusals = undefined;
    return found ?? NONE;
  });
  memory.refusals = asked;
  asked.catch(() => {
    memory.refusals = undefined;
  });
  return asked;
}

/** Learned from a request about something that exists. */
export async function rememberRefusal(channel: SftpChannel, refused: Partial<Refusals>): Promise<void> {
  const known = await channel.memory.refusals?.catch(() => NONE);
  channel.memory.refusals = Promise.resolve({ ...NONE, ...known, ...refused });
}

/** Undefined where the directory lets nothing be looked up, which would refuse all requests alike. */
async function ask(channel: SftpChannel, directory: string): Promise<Refusals | undefined> {
  const [first, second] = [missingName(directory), missingName(directory)];
  const [looked, rename, remove, mkdir] = await Promise.all([
    outcomeOf(channel.lstat(first)),
    outcomeOf(channel.rename(first, second)),
    outcomeOf(channel.unlink(first)),
    outcomeOf(channel.mkdir('/')), // which exists
  ]);
  if (looked !== 'missing') return undefined;
  const isRefused = (outcome: string) => outcome === 'refused';
  return { rename: isRefused(rename), remove: isRefused(remove), mkdir: isRefused(mkdir) };
}

function missingName(directory: string): string {
  return joinPath(directory, `.sallyport-${randomBytes(9).toString('base64url')}.part`);
}

async function outcomeOf(request: Promise<unknown>): Promise<'missing' | 'refused' | 'other'> {
  try {
    await request;
    return 'other';
  } catch (error) {
    if (isRefusal(error)) return 'refused';
    if (!(error instanceof Fault)) throw error;
    if (error.code === 'file_not_found') return 'missing';
    if (error.code === 'sftp_failed') return 'other';
    throw error; // the connection is gone
  }
}

/** PERMISSION_DENIED or OP_UNSUPPORTED. */
export function isRefusal(error: unknown): boolean {
  return isUnsupported(error) || (error instanceof Fault && error.code === 'permission_denied');
}
