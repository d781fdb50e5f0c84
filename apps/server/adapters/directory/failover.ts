import { BusyError, ResultCodeError, UnavailableError } from 'ldapts';
import type { Log } from '#core/ports/runtime.ts';
import { DirectoryError, hostOf, type LdapServer } from './ldap-connection.ts';

/** Asks the server that answered last, then the others in their order. Throws the first failure when none answers. */
export function createFailover(servers: readonly LdapServer[], log: Log) {
  let preferred = 0;

  return async <Answer>(ask: (server: LdapServer) => Promise<Answer>): Promise<Answer> => {
    const first = preferred;
    const failures: unknown[] = [];
    for (let tried = 0; tried < servers.length; tried += 1) {
      const at = (first + tried) % servers.length;
      const server = servers[at];
      if (!server) break;
      try {
        const answer = await ask(server);
        preferred = at;
        return answer;
      } catch (error) {
        if (!isDown(error)) throw error;
        failures.push(error);
        if (servers.length > 1)
          log.warn({ host: hostOf(server.url), reason: error.message }, 'A directory server does not answer');
      }
    }
    throw failures[0];
  };
}

/** Another server may answer: this one is silent, or says that it cannot. */
function isDown(error: unknown): error is DirectoryError {
  if (!(error instanceof DirectoryError) || error.cause === undefined) return false;
  const { cause } = error;
  return (
    cause instanceof BusyError || cause instanceof UnavailableError || !(cause instanceof ResultCodeError)
  );
}
