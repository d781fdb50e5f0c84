import { table } from './measure.ts';
import { measureTerminals } from './measure-terminals.ts';

console.log(table(await measureTerminals()));
