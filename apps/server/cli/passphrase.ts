import { openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { ReadStream, WriteStream } from 'node:tty';
import { BackupExport } from '#core/model/backup/backup.ts';
import type { Config } from '../config/config.ts';
import { CommandRefused, reasonOf } from './output.ts';

const TERMINAL = '/dev/tty'; // even when standard input and output are redirected
const NO_PASSPHRASE =
  'No passphrase: use --passphrase-file, set SERVICE_BACKUP_PASSPHRASE, or run the command in a terminal';

/** Ctrl-C or a closed terminal instead of an answer. */
export class Cancelled extends Error {
  override name = 'Cancelled';
}

export interface PassphraseSource {
  readonly config: Pick<Config, 'backup_passphrase'>;
  readonly file: string | undefined;
}

/** For a new bundle: long enough, and typed twice. */
export async function newPassphrase(source: PassphraseSource): Promise<string> {
  const passphrase = (await given(source)) ?? (await typedTwice());
  const judged = BackupExport.shape.passphrase.safeParse(passphrase);
  if (!judged.success) throw new CommandRefused(`Passphrase: ${judged.error.issues[0]?.message}`);
  return passphrase;
}

/** For an existing bundle. */
export async function knownPassphrase(source: PassphraseSource): Promise<string> {
  const known = await given(source);
  if (known !== undefined) return known;
  const [typed = ''] = await askHidden(['Passphrase of the backup: ']);
  return typed;
}

async function given({ config, file }: PassphraseSource): Promise<string | undefined> {
  if (file === undefined) return config.backup_passphrase;
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CommandRefused(`${file}: ${reasonOf(error)}`, { cause: error });
  });
  return text.replace(/\r?\n$/, ''); // added by editors and `echo`
}

async function typedTwice(): Promise<string> {
  const [first = '', second] = await askHidden([
    'Passphrase for the backup (at least 12 characters): ',
    'Repeat the passphrase: ',
  ]);
  if (first !== second) throw new CommandRefused('The two passphrases differ');
  return first;
}

/** Does not echo the answers. */
async function askHidden(questions: readonly string[]): Promise<string[]> {
  const { input, output } = openTerminal();
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: unseen, terminal: true, historySize: 0 });
  lines.once('SIGINT', () => lines.close());
  try {
    const typed = lines[Symbol.asyncIterator]();
    const answers: string[] = [];
    for (const question of questions) {
      output.write(question);
      const { done, value } = await typed.next();
      output.write('\n');
      if (done) throw new Cancelled();
      answers.push(value);
    }
    return answers;
  } finally {
    lines.close(); // turns echo back on
    input.destroy();
    output.destroy();
  }
}

function openTerminal(): { input: ReadStream; output: WriteStream } {
  try {
    return {
      input: new ReadStream(openSync(TERMINAL, 'r')),
      output: new WriteStream(openSync(TERMINAL, 'w')),
    };
  } catch (cause) {
    throw new CommandRefused(NO_PASSPHRASE, { cause });
  }
}
