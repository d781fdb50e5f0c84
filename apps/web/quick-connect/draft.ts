import { createSignal } from 'solid-js';
import { createStore } from 'solid-js/store';
import type { QuickSecrets } from '#client/terminal/target.ts';
import { useApp } from '../app/context.ts';
import { isPort, readDestination } from './destination.ts';
import type { QuickTarget } from './quick-connect.ts';

export const QUICK_METHODS = ['ask', 'password', 'key'] as const;
export type QuickMethod = (typeof QUICK_METHODS)[number];

/** What the gateway takes for a terminal that says nothing else. */
const TERMINAL = { terminal_type: 'xterm-256color', terminal_encoding: 'utf-8' };
const TYPE = /^[A-Za-z0-9][A-Za-z0-9._+-]*$/;

const EMPTY = {
  line: '',
  host: '',
  port: '22',
  username: '',
  ...TERMINAL,
  method: 'ask' as QuickMethod,
  password: '',
  private_key: '',
  passphrase: '',
};

type Typed = Pick<typeof EMPTY, 'method' | 'password' | 'private_key' | 'passphrase'>;

/** The credentials of the chosen method. A password beside a key is for hosts that ask for both. */
export function secretsOf({ method, password, private_key, passphrase }: Typed): QuickSecrets {
  if (method === 'ask') return {};
  if (method === 'password') return { password };
  return { private_key, ...(passphrase && { passphrase }), ...(password && { password }) };
}

/** The quick connect form: a pasted line fills the fields, which can also be edited one by one. */
export function createQuickDraft() {
  const { t } = useApp();
  const [values, set] = createStore({ ...EMPTY });
  const [tried, setTried] = createSignal(false);

  const problems = () => ({
    username: values.username.trim() === '' ? t('quick_username_needed') : undefined,
    host: values.host.trim() === '' ? t('quick_host_needed') : undefined,
    port: isPort(Number(values.port)) ? undefined : t('quick_port_wrong'),
    terminal_type: TYPE.test(values.terminal_type.trim()) ? undefined : t('quick_type_wrong'),
  });

  function read(line: string): void {
    const { host, port = 22, username = values.username } = readDestination(line) ?? {};
    set({ line, ...(host === undefined ? {} : { host, port: String(port), username }) });
  }

  return {
    values,
    set,
    read,
    lineProblem(): string | undefined {
      if (values.line.trim() === '') return undefined;
      const found = readDestination(values.line);
      if (found?.jumps) return t('quick_no_jumps');
      return found || !tried() ? undefined : t('quick_line_unclear');
    },
    problem: (field: keyof ReturnType<typeof problems>) => (tried() ? problems()[field] : undefined),
    /** Undefined while a field is invalid; its error is then shown. */
    target(): QuickTarget | undefined {
      setTried(true);
      if (Object.values(problems()).some((problem) => problem !== undefined)) return undefined;
      const { host, port, username, terminal_encoding, terminal_type } = values;
      const type = terminal_type.trim();
      return {
        ...{ host: host.trim(), port: Number(port), username: username.trim() },
        ...(type === TERMINAL.terminal_type ? {} : { terminal_type: type }),
        ...(terminal_encoding === TERMINAL.terminal_encoding ? {} : { terminal_encoding }),
      };
    },
    secrets: () => secretsOf(values),
  };
}

export type QuickDraft = ReturnType<typeof createQuickDraft>;
