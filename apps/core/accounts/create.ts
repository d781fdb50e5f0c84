import type { ActivityRegistry } from '../activities/registry.ts';
import type { ActivityRights } from '../activities/rights.ts';
import type { AuditTrail } from '../audit/trail.ts';
import type { Keyring } from '../crypto/keyring.ts';
import type { Vault } from '../crypto/vault.ts';
import type { Job } from '../lifecycle.ts';
import { DEMO_CREDENTIALS } from '../model/demo.ts';
import type { PasswordHasher } from '../ports/identity.ts';
import type { Meter } from '../ports/meter.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock, Log } from '../ports/runtime.ts';
import { type Account, createAccount } from './account.ts';
import { type ApiKeys, createApiKeys } from './api-keys.ts';
import { ensureAdministrator } from './bootstrap.ts';
import { type Callers, createCallers } from './callers.ts';
import { createDirectoryPasswords, type DirectoryAccess } from './directory-passwords.ts';
import { createExternalAccounts } from './external-accounts.ts';
import { createLockouts } from './lockouts.ts';
import { createPasswordCheck } from './password-check.ts';
import { createFailures } from './proofs/failures.ts';
import { createPasswordProver } from './proofs/password.ts';
import { createSignInProofs } from './proofs/sign-in-proofs.ts';
import { createRateLimits, type RateLimits } from './rate-limits.ts';
import { createSecondFactors } from './second-factors.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { createSignIn, type SignIn } from './sign-in.ts';
import { createStepUp, type StepUp } from './step-up.ts';
import { createTickets, type Tickets } from './tickets.ts';
import { createTokens, type Tokens } from './tokens.ts';
import { createTwoFactor, type TwoFactor } from './two-factor.ts';
import { createUsers, type Users } from './users.ts';
import { createWebSessions } from './web-sessions.ts';

/** Who is calling: all that an edge needs of accounts. */
export interface CallerServices {
  readonly callers: Callers;
  readonly tickets: Tickets;
  readonly rate_limits: RateLimits;
}

export interface CallerPorts {
  readonly repositories: Pick<
    Repositories,
    'web_sessions' | 'pending_sign_ins' | 'api_keys' | 'servers' | 'tickets' | 'rate_limits'
  >;
  readonly clock: Clock;
  readonly background: Background;
}

export interface CallerOptions {
  readonly demo_mode: boolean;
}

export function createCallerFeature(
  { repositories, clock, background }: CallerPorts,
  keyring: Keyring,
  { demo_mode }: CallerOptions,
) {
  const tokens = createTokens(keyring, clock);
  const callers = createCallers({ repositories, tokens, clock, background, demo_mode });
  const services: CallerServices = {
    callers,
    tickets: createTickets({ repositories, callers, clock }),
    rate_limits: createRateLimits({ repositories, clock }),
  };
  return { services, tokens };
}

export interface AccountServices {
  readonly sign_in: SignIn;
  readonly step_up: StepUp;
  readonly account: Account;
  readonly two_factor: TwoFactor;
  readonly sessions: Sessions;
  readonly api_keys: ApiKeys;
  readonly users: Users;
}

export interface AccountPorts {
  readonly repositories: Pick<
    Repositories,
    | 'users'
    | 'snippets'
    | 'web_sessions'
    | 'pending_sign_ins'
    | 'api_keys'
    | 'second_factors'
    | 'lockouts'
    | 'servers'
  >;
  readonly hasher: PasswordHasher;
  readonly directory_access: DirectoryAccess | undefined;
  readonly meter: Meter;
  readonly clock: Clock;
  readonly log: Log;
}

export interface AccountOptions extends CallerOptions {
  /** `SERVICE_ADMIN_PASSWORD`. */
  readonly admin_password: string | undefined;
  /** `SERVICE_STEP_UP_SECONDS`. */
  readonly step_up_s: number;
}

interface AccountDeps {
  readonly tokens: Tokens;
  readonly callers: Callers;
  readonly vault: Vault;
  readonly trail: AuditTrail;
  readonly activities: ActivityRegistry;
  readonly rights: ActivityRights;
}

export function createAccountsFeature(ports: AccountPorts, deps: AccountDeps, options: AccountOptions) {
  const { repositories, hasher, directory_access, meter, clock, log } = ports;
  const { tokens, callers, vault, trail, activities, rights } = deps;
  const { demo_mode, admin_password, step_up_s } = options;
  const never_locked = demo_mode ? DEMO_CREDENTIALS.username : undefined;
  const lockouts = createLockouts({ repositories, clock, never_locked });
  const factors = createSecondFactors({ repositories, vault, clock });
  const external_accounts = createExternalAccounts({ repositories, clock, log });
  const directory =
    directory_access && createDirectoryPasswords({ ...directory_access, external_accounts, log });
  const passwords = createPasswordCheck({ repositories, hasher, directory });
  const web_sessions = createWebSessions({ repositories, tokens, activities, clock, step_up_s });
  const failures = createFailures({ repositories, trail, meter });
  const password = createPasswordProver({ passwords, failures, rights, trail });
  const proofs = createSignInProofs({ password, factors, lockouts, failures });
  const services: AccountServices = {
    sign_in: createSignIn({ repositories, proofs, web_sessions, trail, meter, clock }),
    step_up: createStepUp({ repositories, proofs, web_sessions, trail }),
    account: createAccount({ repositories, web_sessions, passwords, hasher, lockouts, trail }),
    two_factor: createTwoFactor({ repositories, factors, lockouts, trail }),
    sessions: createSessions({ repositories, web_sessions, trail, clock, demo_mode }),
    api_keys: createApiKeys({ repositories, activities, trail, clock }),
    users: createUsers({
      repositories,
      callers,
      hasher,
      lockouts,
      web_sessions,
      activities,
      rights,
      trail,
      clock,
    }),
  };
  const administrator: Job = {
    name: 'default administrator',
    async start({ announce }) {
      const made = await ensureAdministrator({ repositories, hasher, clock, admin_password });
      if (made.generated_password !== undefined) announce(made.generated_password);
    },
  };
  return { services, web_sessions, jobs: [administrator] };
}
