import { measureServers } from './measures/servers.ts';
import { report } from './report.ts';

report('servers', await measureServers());
