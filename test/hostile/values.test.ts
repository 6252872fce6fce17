import { HOSTILE_VALUES } from './hostileFiles.ts';
import { testHostileFiles } from './testHostileFiles.ts';

testHostileFiles(HOSTILE_VALUES);
