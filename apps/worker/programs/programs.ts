import type { Programs } from '#core/ports/programs.ts';
import type { Dialler } from '../ssh/dial/connect.ts';
import { startProgram } from './start.ts';

/** Each program has its own SSH connection, which ends with it: hosts limit the sessions of one (MaxSessions). */
export function createPrograms({ connect }: Pick<Dialler, 'connect'>): Programs {
  return {
    async run(target, command, { signal }) {
      const connection = await connect(target, { signal });
      const close = () => connection.close();
      try {
        const program = await startProgram(connection, command, signal);
        program.ended.then(close, close);
        return program;
      } catch (error) {
        close();
        throw error;
      }
    },
  };
}
