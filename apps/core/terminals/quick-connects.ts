import type { Callers } from '../accounts/callers.ts';
import type { RateLimits } from '../accounts/rate-limits.ts';
import { Fault, toFault } from '../errors.ts';
import { addressOf } from '../hosts/quick-host-keys.ts';
import { MAX_DIALS_PER_MINUTE, MAX_PENDING_DIALS } from '../limits.ts';
import type { Caller } from '../model/accounts/caller.ts';
import type { InForce } from '../model/settings/setting.ts';
import type { QuickTarget } from '../model/terminal.ts';
import { assertMay, credentialOf } from '../policy/account.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime.ts';
import type { Shells, SshAuth, SshHop } from '../ports/ssh.ts';
import type { Admission } from './admission.ts';
import type { Opening, ShellRequest, TerminalOpenings } from './opening.ts';
import { terminalOf } from './terminal-kind.ts';

/** Shells on unregistered hosts; the credentials are typed each time and never stored. */
export interface QuickConnects {
  assertEnabled(caller: Caller): Promise<void>;
  open(caller: Caller, target: QuickTarget, request: ShellRequest): Promise<Admission>;
}

export interface QuickOptions {
  readonly demo_mode: boolean;
  /** Whether quick connect may dial an address; see `SERVICE_ALLOWED_TARGETS`. */
  readonly isAllowedAddress: (address: string) => boolean;
}

const LABEL = 'quick connect'; // in audit entries without a target

// Without these, a user could scan a network, or hold many connections to hosts that never answer.
const DIALS = {
  name: 'quick_connect',
  limit: MAX_DIALS_PER_MINUTE,
  window_s: 60,
  code: 'too_many_dials',
} as const;

interface Deps {
  readonly repositories: Pick<Repositories, 'quick_host_keys'>;
  readonly shells: Shells;
  readonly callers: Callers;
  readonly rate_limits: RateLimits;
  readonly openings: TerminalOpenings;
  readonly settings: InForce<'quick_connect'>;
  readonly clock: Clock;
  readonly options: QuickOptions;
}

export function createQuickConnects(deps: Deps): QuickConnects {
  const { repositories, shells, callers, rate_limits, openings, settings, clock, options } = deps;
  const { quick_host_keys: pins } = repositories;

  async function assertEnabled(caller: Caller): Promise<void> {
    assertMay(caller, 'quick_connect');
    if (settings.values.quick_connect) return;
    const fault = new Fault('quick_connect_disabled');
    await openings.refused(caller, { label: LABEL, fault });
    throw fault;
  }

  async function countDial(caller: Caller): Promise<void> {
    try {
      await rate_limits.hit(DIALS, String(caller.user_id));
    } catch (error) {
      await openings.refused(caller, { label: LABEL, fault: toFault(error) });
      throw error;
    }
  }

  async function hopTo(caller: Caller, target: QuickTarget): Promise<SshHop> {
    const { host, port, username } = target;
    const hop = {
      server_id: 0,
      name: nameOf(target),
      hostname: host,
      port,
      username,
      auth: authOf(target),
      algorithms: 'default' as const,
      revision: '',
      quick_user_id: caller.user_id,
      isAllowedAddress: options.isAllowedAddress,
    };
    const pinned = await pins.find(addressOf({ ...hop, known_host_keys: [] }));
    return { ...hop, known_host_keys: pinned ? [pinned.host_key] : [] };
  }

  function openingOf(caller: Caller, target: QuickTarget): Opening {
    const began = clock.now().toISOString();
    const name = nameOf(target);
    return {
      server: { id: null, name },
      label: quickLabel(name),
      record_sessions: null,
      max_dials: MAX_PENDING_DIALS,
      dial: async (request) =>
        shells.open(
          { hops: [await hopTo(caller, target)], user_id: caller.user_id },
          { ...request, terminal: terminalOf(target) },
        ),
      async settle() {
        const { host: hostname, port } = target;
        const pinned = await pins.find(addressOf({ ...(await hopTo(caller, target)), hostname, port }));
        const caller_now = await callers.fromCredential(credentialOf(caller), caller.ip_address);
        assertMay(caller_now, 'quick_connect');
        if (!pinned) return {};
        return { host_key: { fingerprint: pinned.fingerprint, is_new: pinned.created_at >= began } };
      },
    };
  }

  return {
    assertEnabled,

    async open(caller, target, request) {
      await assertEnabled(caller);
      await countDial(caller);
      return openings.open(caller, openingOf(caller, target), request);
    },
  };
}

/** Names a quick connection in entries. */
export function quickLabel(name: string): string {
  return `quick connect to ${name}`;
}

function nameOf({ username, host, port }: QuickTarget): string {
  return `${username}@${host.includes(':') ? `[${host}]` : host}${port === 22 ? '' : `:${port}`}`;
}

/** Without a password or a key, the person at the terminal is asked. */
function authOf({ password, private_key, passphrase = '' }: QuickTarget): SshAuth {
  if (private_key) return { method: 'key', private_key, passphrase, ...(password && { password }) };
  return password ? { method: 'password', password } : { method: 'prompt' };
}
