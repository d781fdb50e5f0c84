import { table } from './measure.ts';
import { measureRevocation } from './measures/revocation.ts';

console.log(table(await measureRevocation()));
