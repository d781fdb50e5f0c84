import { Argument, Command, Option } from 'commander';
import { DEFAULT_ADMIN } from '#core/accounts/bootstrap.ts';
import type { VerificationProgress } from '#core/model/audit/verification.ts';
import { BackupMode } from '#core/model/backup/backup.ts';
import { createLog } from '../adapters/telemetry/log.ts';
import { type Config, describeConfig, parseConfig } from '../config/config.ts';
import { readEnvironment } from '../config/environment.ts';
import { runKeeper } from '../keeper/run.ts';
import { ROLES, type Role, serve } from '../serve.ts';
import { readVersion } from '../version.ts';
import { resetPassword } from './admin-reset.ts';
import { describeVerdict, verifyAuditLog } from './audit-verify.ts';
import { exportToFile, restoreFromFile } from './backup-files.ts';
import { bindOldSecrets } from './bind-secrets.ts';
import { HELP, type Help } from './help.ts';
import { openApiDocument } from './openapi.ts';
import { print } from './output.ts';

const NOT_INTACT = 3; // exit code; 1 and 2 mean that the log was not verified

type Exit = (code: number) => void;

/** `exit` receives the exit code of a command that ends with another one than 0. */
export function createCli(exit: Exit): Command {
  const cli = new Command('sallyport')
    .description(HELP.sallyport.summary)
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .version(readVersion(), '--version', 'print the version')
    .addHelpText('after', HELP.sallyport.more)
    .configureOutput({ outputError: () => undefined }) // the caller reports it
    .exitOverride();
  addServe(cli, exit);
  addKeeper(cli, exit);
  addConfig(cli);
  addAdmin(cli);
  addAudit(cli, exit);
  addBackup(cli, exit);
  addTexts(cli);
  return cli;
}

function add(parent: Command, name: string, { summary, description, more = '' }: Help): Command {
  return parent
    .command(name)
    .summary(summary)
    .description(description ?? `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`)
    .addHelpText('after', more)
    .helpCommand(false);
}

function currentConfig(): Config {
  return parseConfig(readEnvironment());
}

function addServe(cli: Command, exit: Exit): void {
  const role = new Option(
    '--role <role>',
    'run everything, or a half of it: what an edge forwards, or the edge',
  );
  add(cli, 'serve', HELP.serve)
    .addOption(role.choices(ROLES).default('gateway'))
    .action(async (flags: { readonly role: Role }) => exit(await serve(flags.role)));
}

function addKeeper(cli: Command, exit: Exit): void {
  add(cli, 'keeper', HELP.keeper).action(async () => {
    const config = currentConfig();
    const log = createLog({ level: config.log_level, format: config.log_format });
    exit(await runKeeper(config, { log, idle_exit_ms: undefined }));
  });
}

function addConfig(cli: Command): void {
  add(cli, 'config', HELP.config).action(() => print(describeConfig(readEnvironment())));
}

function addAdmin(cli: Command): void {
  const admin = add(cli, 'admin', HELP.admin);
  add(admin, 'reset-password', HELP.reset_password)
    .argument('[name]', 'name of a local user', DEFAULT_ADMIN)
    .action(async (username: string) => {
      const password = await resetPassword(currentConfig(), username);
      await print(
        `New password for ${username}: ${password}\nIt is shown only once and must be changed at the next sign-in.`,
      );
    });
  add(admin, 'bind-secrets', HELP.bind_secrets).action(async () => {
    const lines = await bindOldSecrets(currentConfig());
    await print(lines.join('\n') || 'No stored secret has the form of an older version');
  });
}

function addAudit(cli: Command, exit: Exit): void {
  const audit = add(cli, 'audit', HELP.audit);
  add(audit, 'verify', HELP.audit_verify)
    .option('--continue', 'read only what the last verification of the gateway has not')
    .action(async (flags: { continue?: true }) => {
      const from = flags.continue ? 'checkpoint' : 'start';
      const verdict = await verifyAuditLog(currentConfig(), { from, watch: showProgress() });
      await print(describeVerdict(verdict));
      exit(verdict.ok ? 0 : NOT_INTACT);
    });
}

/** For a person who waits: a script reads standard error as a complaint. */
function showProgress(): ((progress: VerificationProgress) => void) | undefined {
  const { stderr } = process;
  if (!stderr.isTTY) return undefined;
  return ({ checked, total }) => {
    stderr.write(`\r${checked} of ${total} entries${checked >= total ? '\n' : ''}`);
  };
}

const passphraseOption = () => new Option('--passphrase-file <file>', 'read the passphrase from a file');

function addBackup(cli: Command, exit: Exit): void {
  const backup = add(cli, 'backup', HELP.backup);
  addExport(backup, exit);
  addRestore(backup);
}

interface ExportFlags {
  readonly output?: string;
  readonly force?: boolean;
  readonly allowUnreadable?: boolean;
  readonly includeAudit?: boolean;
  readonly passphraseFile?: string;
}

function addExport(backup: Command, exit: Exit): void {
  add(backup, 'export', HELP.backup_export)
    .option(
      '-o, --output <file>',
      'file to write; - for standard output (default: a new file with the time in its name)',
    )
    .option('--force', 'replace an existing file')
    .option('--allow-unreadable', 'succeed even when some secrets cannot be decrypted with this secret key')
    .option('--include-audit', 'include the audit log')
    .addOption(passphraseOption())
    .action(async ({ output, force = false, ...flags }: ExportFlags) => {
      const { allowUnreadable = false, includeAudit = false, passphraseFile } = flags;
      const options = { allow_unreadable: allowUnreadable, include_audit: includeAudit };
      const code = await exportToFile(currentConfig(), {
        ...options,
        output,
        force,
        passphrase_file: passphraseFile,
      });
      if (code !== 0) exit(code);
    });
}

interface RestoreFlags {
  readonly mode: BackupMode;
  readonly dryRun?: boolean;
  readonly passphraseFile?: string;
}

function addRestore(backup: Command): void {
  const mode = new Option('--mode <mode>', 'what to do with existing data').choices(BackupMode.options);
  add(backup, 'restore', HELP.backup_restore)
    .addArgument(new Argument('<file>', 'file written by export; - for standard input'))
    .addOption(mode.makeOptionMandatory())
    .option('--dry-run', 'only print what would change')
    .addOption(passphraseOption())
    .action((file: string, { mode, dryRun: dry_run = false, passphraseFile }: RestoreFlags) =>
      restoreFromFile(currentConfig(), file, { mode, dry_run, passphrase_file: passphraseFile }),
    );
}

function addTexts(cli: Command): void {
  add(cli, 'openapi', HELP.openapi).action(() => print(JSON.stringify(openApiDocument(), null, 2)));
  add(cli, 'version', HELP.version).action(() => print(readVersion()));
  add(cli, 'help', HELP.help)
    .argument('[command...]', 'for example: backup export')
    .action((path: string[]) => commandAt(cli, path).outputHelp());
}

function commandAt(cli: Command, path: readonly string[]): Command {
  let found: Command = cli;
  for (const name of path) {
    const next = found.commands.find((command) => command.name() === name);
    if (!next) found.error(`error: unknown command '${name}'`, { code: 'commander.unknownCommand' });
    found = next;
  }
  return found;
}
