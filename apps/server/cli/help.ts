export interface Help {
  /** For the list of commands. */
  readonly summary: string;
  /** For the help of the command itself, between usage and options. */
  readonly description?: string;
  /** Below the options. */
  readonly more?: string;
}

const EXIT_0_1 = `
Exit codes:
  0  done
  1  not done; one line on standard error says what is to be mended`;

const GATEWAYS_OWN = `
Run it with the variables of the gateway, also beside a running one:
SERVICE_DB_URL, SERVICE_DATA_DIR and SERVICE_SECRET_KEY say where everything is.`;

const PASSPHRASE = `
The passphrase is read from --passphrase-file (without the end of the line), else
from SERVICE_BACKUP_PASSPHRASE, else it is asked in the terminal and not shown.
It is no argument: everybody on the machine could see it there.`;

export const HELP = {
  sallyport: {
    summary: 'Sallyport, a web SSH and SFTP gateway. Without a command it serves.',
    more: `
Configuration is read from SERVICE_* environment variables; docs/configuration.md lists them.

Exit codes:
  0  done
  1  not done; one line on standard error says what is to be mended
  2  no such command or option
  3  the audit log is not whole

Example:
  sallyport help backup export`,
  },
  serve: {
    summary: 'run the gateway (the default)',
    description:
      'Runs the gateway until SIGTERM or Ctrl-C. Then terminals are told, and transfers get 30 seconds to finish. The first start prints the address and the one-time password of admin.',
    more: `
All SERVICE_ variables count; "sallyport config" prints what is in force.

Exit codes:
  0  stopped as it was told to
  1  could not start; one line on standard error says what is to be mended

Example:
  SERVICE_PORT=9000 SERVICE_DATA_DIR=/var/lib/sallyport sallyport`,
  },
  config: {
    summary: 'print the configuration in force, secrets masked',
    description:
      'Prints each variable, its value and where that comes from; secrets are masked. What administrators have set in the page is in the database and goes before.',
    more: `
Exit codes:
  0  printed
  1  a variable is malformed; standard error names each

Example:
  sallyport config | grep -v '# default'`,
  },
  admin: {
    summary: 'reset-password: for when nobody can sign in any more',
    description: 'For when nobody can sign in any more.',
  },
  reset_password: {
    summary: 'give a local user a new password',
    description:
      'Gives a local user a new password, printed once, which must be changed at the next sign-in. Ends the lock of the name, enables the account, switches its second factor off and ends its sessions. The audit log says so.',
    more: `${GATEWAYS_OWN}
${EXIT_0_1}

Example:
  sallyport admin reset-password alice`,
  },
  audit: {
    summary: 'verify: hold the audit log against its hash chains',
    description: 'The audit log, seen from outside of the gateway.',
  },
  audit_verify: {
    summary: 'hold the audit log against its hash chains',
    description:
      'Holds the audit log against its hash chains and changes nothing. Names the first entry that was edited, added, or whose neighbour is missing.',
    more: `${GATEWAYS_OWN}

Exit codes:
  0  the log is whole
  1  nothing can be told: no database, no log in it, no key
  3  the log is not whole

Example:
  sallyport audit verify || logger -p auth.alert 'The audit log is not whole'`,
  },
  backup: {
    summary: 'export, restore: all that is configured, in one file',
    description: 'All that is configured, in one encrypted file.',
  },
  backup_export: {
    summary: 'write all that is configured to an encrypted file',
    description:
      'Writes servers with their credentials and host keys, users, API keys, webhooks, snippets, settings and branding to one file, encrypted with a passphrase: whoever has both has everything. The file is for its owner alone (mode 0600) and there whole or not at all. Recordings are not in it.',
    more: `${PASSPHRASE}
${GATEWAYS_OWN}

Exit codes:
  0  written
  1  not written; one line on standard error says why
  4  written without some stored secrets, which this secret key cannot read
     (--allow-unreadable makes it 0; without it, --force replaces no file then: exit 1)

Examples:
  sallyport backup export --output sallyport.json
  sallyport backup export --output - --passphrase-file /etc/sallyport/passphrase \\
    | ssh store 'cat > sallyport.json'`,
  },
  backup_restore: {
    summary: 'bring back what export wrote',
    description:
      'Brings back what export wrote: all of it, or nothing when anything of it is wrong. "merge" adds what is missing and what the present secret key cannot read, and leaves the rest as it is. With "replace", what is here becomes what is in the file, and what is not in it is removed.',
    more: `${PASSPHRASE}
${GATEWAYS_OWN}

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
      'Prints the OpenAPI 3.1 document. Needs neither configuration nor database; a running gateway has the same at /openapi.json.',
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
    summary: 'print the help of a command',
    more: `
Exit codes:
  0  printed
  2  no such command

Example:
  sallyport help backup restore`,
  },
} as const satisfies Readonly<Record<string, Help>>;
