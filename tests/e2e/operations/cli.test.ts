import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCli } from '#server/cli/cli.ts';
import { runCommand, runHere } from '../../support/gateway/command.ts';

const START = new URL('../../../apps/server/start.mjs', import.meta.url).pathname;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-cli-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function* commandsBelow(command: Command, path: readonly string[] = []): Generator<[string, Command]> {
  for (const child of command.commands) {
    const here = [...path, child.name()];
    if (child.commands.length > 0) yield* commandsBelow(child, here);
    else yield [here.join(' '), child];
  }
}

function helpOf(command: Command): string {
  let text = '';
  command
    .configureOutput({
      writeOut: (part) => {
        text += part;
      },
    })
    .outputHelp();
  return text;
}

describe('The help', () => {
  it('lists every command', () => {
    const names = [...commandsBelow(createCli(() => undefined))].map(([name]) => name);
    expect(names).toEqual([
      ...['serve', 'keeper', 'config', 'admin reset-password', 'admin bind-secrets', 'audit verify'],
      ...['backup export', 'backup restore', 'openapi', 'version', 'help'],
    ]);
  });

  it.each([...commandsBelow(createCli(() => undefined))])(
    'of %s explains its purpose, exit codes and usage, on lines that fit',
    (name, command) => {
      const text = helpOf(command);
      expect(text).toContain(`Usage: sallyport ${name}`);
      for (const part of ['Exit codes:\n  0  ', 'Example']) expect(text).toContain(part);
      expect(text).toMatch(/Examples?:\n {2}.*sallyport/);
      for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(90);
    },
  );

  it('of a command is the same by --help and by help, on standard output', async () => {
    const asked = await runHere(['backup', 'export', '--help']);
    const helped = await runHere(['help', 'backup', 'export']);
    expect(asked).toMatchObject({ code: 0, stderr: '' });
    expect(asked.stdout).toContain('--passphrase-file <file>');
    expect(helped).toEqual(asked);
  });
});

describe('An invalid command line', () => {
  it.each([
    [['serv'], 'Unknown command: serv'],
    [['audit', 'verfy'], 'Unknown command: audit verfy'],
    [['help', 'backup', 'exprt'], 'Unknown command: help backup exprt'],
    [['--color'], "Unknown option '--color'"],
    [['config', 'x'], "Too many arguments for 'config'"],
    [['backup', 'restore', 'x'], "Required option '--mode <mode>' not specified"],
    [['backup', 'restore', 'x', '--mode', 'both'], 'Allowed choices are merge, replace'],
    [['backup', 'restore', '--mode', 'merge'], "Missing required argument 'file'"],
    [['backup'], 'Usage: sallyport backup'],
  ])('%j exits with 2 and explains why on standard error', async (args, complaint) => {
    const { code, stdout, stderr } = await runHere(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(complaint);
  });
});

describe('Standard output', () => {
  it.each([
    ['that nobody reads any more', '| true', 'the reader has closed the pipe'],
    ['that is full', '> /dev/full', 'no space left on the disk'],
  ])('%s ends a command with one line and exit 1', async (_what, target, reason) => {
    const script = `{ "$0" "$1" openapi; echo "code $?" >&2; } ${target}`;
    const child = spawn('sh', ['-c', script, process.execPath, START], { cwd: folder });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    await once(child, 'close');
    expect(said).toBe(`Standard output: ${reason}\ncode 1\n`);
  });

  it('contains only the version', async () => {
    const [word, option] = [await runCommand(['version'], { cwd: folder }), await runHere(['--version'])];
    expect(word).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: '' });
    expect(option).toEqual(word);
  });
});
