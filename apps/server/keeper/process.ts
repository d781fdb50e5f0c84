// The keeper that a gateway starts; it goes on when the gateway ends.
import { createLog } from '../adapters/telemetry/log.ts';
import { parseConfig } from '../config/config.ts';
import { readEnvironment } from '../config/environment.ts';
import { runKeeper } from './run.ts';

const IDLE_EXIT_MS = 60_000;

const config = parseConfig(readEnvironment());
const log = createLog({ level: config.log_level, format: config.log_format });
const code = await runKeeper(config, { log, idle_exit_ms: IDLE_EXIT_MS });
process.exit(code);
