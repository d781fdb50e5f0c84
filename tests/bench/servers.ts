import { table } from './measure.ts';
import { measureServers } from './measures/servers.ts';

console.log(table(await measureServers()));
