export interface Help {
  /** In the list of commands. */
  readonly summary: string;
  /** In the help of the command itself, between usage and options. */
  readonly description?: string;
  /** Below the options. */
  readonly more?: string;
}

const EXIT_0_1 = `
Exit codes:
  0  success
  1  failure; one line on standard error says what to fix`;

const ENVIRONMENT = `
Run it with the environment of the gateway (SERVICE_DB_URL, SERVICE_DATA_DIR and
SERVICE_SECRET_KEY). The gateway may be running.`;

const PASSPHRASE = `
The passphrase comes from --passphrase-file (without the final line break), else
from SERVICE_BACKUP_PASSPHRASE, else the terminal asks for it without echo.
It cannot be an argument, which every user of the machine could see.`;

export const HELP = {
  sallyport: {
    summary: 'Sallyport, a web SSH and SFTP gateway. Without a command, it runs the gateway.',
    more: `
Sallyport is configured with SERVICE_* environment variables; docs/configuration.md lists them.

Exit codes:
  0  success
  1  failure; one line on standard error says what to fix
  2  unknown command or option
  3  the audit log is not intact
  4  a backup was written without some secrets

Example:
  sallyport help backup export`,
  },
  serve: {
    summary: 'run the gateway (the default)',
    description:
      'Runs the gateway until SIGTERM or Ctrl-C. It then closes terminals and gives transfers 30 seconds to finish. The first start prints the address and the one-time password of admin.',
    more: `
It reads all SERVICE_* variables; "sallyport config" prints their current values.

--role worker serves only what an edge forwards. --role edge answers what needs
nothing but PostgreSQL, and forwards the rest to SERVICE_WORKER_URL.

Exit codes:
  0  stopped by a signal
  1  could not start; one line on standard error says what to fix

Example:
  SERVICE_PORT=9000 SERVICE_DATA_DIR=/var/lib/sallyport sallyport`,
  },
  keeper: {
    summary: 'run the keeper of the terminals, as a service of its own',
    description:
      'Runs the process that owns the terminals of gateways with SERVICE_KEEPER=on, until SIGTERM or Ctrl-C, which ends the terminals. Without it, such a gateway starts a keeper by itself.',
    more: `
It reads SERVICE_DATA_DIR, SERVICE_LOG_LEVEL and SERVICE_LOG_FORMAT, and must run as the
user of the gateway, with the same data directory.

Exit codes:
  0  stopped by a signal, or another keeper is already running
  1  could not start; one line on standard error says what to fix

Example:
  SERVICE_DATA_DIR=/var/lib/sallyport sallyport keeper`,
  },
  config: {
    summary: 'print the current configuration, with secrets masked',
    description:
      'Prints each variable with its value and the source of the value; secrets are masked. Settings that an administrator has changed in the admin area are stored in the database and override these values.',
    more: `
Exit codes:
  0  printed
  1  a variable is invalid; standard error names each one

Example:
  sallyport config | grep -v '# default'`,
  },
  admin: {
    summary: 'reset-password, bind-secrets: repair what the page cannot',
    description: 'Repairs what the page cannot: lost access, and secrets of an older database.',
  },
  reset_password: {
    summary: 'give a local user a new password',
    description:
      'Gives a local user a new password, which is printed once and must be changed at the next sign-in. It also unlocks and enables the account, turns off its second factor and ends its sessions. The audit log records it.',
    more: `${ENVIRONMENT}
${EXIT_0_1}

Example:
  sallyport admin reset-password alice`,
  },
  bind_secrets: {
    summary: 'accept the stored secrets of an older database',
    description:
      'Encrypts the credentials, second factors and webhook secrets that a version before 0.7 stored once more, bound to their rows, and prints the name of each. The gateway does this at the first start after an update and then refuses the old form. Run this only if you put an older database in place yourself, for example a dump from before the update.',
    more: `${ENVIRONMENT}
${EXIT_0_1}

Example:
  sallyport admin bind-secrets`,
  },
  audit: {
    summary: 'verify: check the audit log against its hash chains',
    description: 'Works on the audit log without the gateway.',
  },
  audit_verify: {
    summary: 'check the audit log against its hash chains',
    description:
      'Checks the audit log against its hash chains and changes nothing. Names the first entry that was edited or added, or next to which one is missing. With --continue it reads only what the last verification of the gateway has not, which finds no change of older entries.',
    more: `${ENVIRONMENT}

Exit codes:
  0  the log is intact
  1  the log could not be verified: no database, no log in it, or no key
  3  the log is not intact

Example:
  sallyport audit verify || logger -p auth.alert 'The audit log is not intact'`,
  },
  backup: {
    summary: 'export, restore: the whole configuration in one file',
    description: 'The whole configuration in one encrypted file.',
  },
  backup_export: {
    summary: 'write the whole configuration to an encrypted file',
    description:
      'Writes servers with their credentials and host keys, users, API keys, webhooks, snippets, settings and branding to one file, encrypted with a passphrase. Anyone with the file and the passphrase has all of it. Only the owner can read the file (mode 0600), and it is never left half-written. Recordings are not included.',
    more: `${PASSPHRASE}
${ENVIRONMENT}

Exit codes:
  0  written
  1  not written; one line on standard error says why
  4  written without some stored secrets, which this secret key cannot decrypt
     (0 with --allow-unreadable; 1 with --force alone, which then replaces no file)

Examples:
  sallyport backup export --output sallyport.json
  sallyport backup export --output - --passphrase-file /etc/sallyport/passphrase \\
    | ssh store 'cat > sallyport.json'`,
  },
  backup_restore: {
    summary: 'restore a file written by export',
    description:
      'Restores a file written by export: either all of it, or nothing when any part is invalid. "merge" adds what is missing, and secrets that the current secret key cannot decrypt, and leaves everything else alone. "replace" makes the gateway match the file and removes what the file does not contain.',
    more: `${PASSPHRASE}
${ENVIRONMENT}

Exit codes:
  0  restored
  1  nothing was changed; one line on standard error says why

Examples:
  sallyport backup restore sallyport.json --mode merge --dry-run
  ssh store cat sallyport.json | sallyport backup restore - --mode replace`,
  },
  openapi: {
    summary: 'print the OpenAPI document',
    description:
      'Prints the OpenAPI 3.1 document. Needs neither configuration nor database. A running gateway serves the same document at /openapi.json.',
    more: `
Exit codes:
  0  printed

Example:
  sallyport openapi | jq '.paths | keys'`,
  },
  version: {
    summary: 'print the version',
    more: `
Exit codes:
  0  printed

Example:
  sallyport version`,
  },
  help: {
    summary: 'print help for a command',
    more: `
Exit codes:
  0  printed
  2  unknown command

Example:
  sallyport help backup restore`,
  },
} as const satisfies Readonly<Record<string, Help>>;
