import { HOSTILE_STRUCTURE } from './hostileFiles.ts';
import { testHostileFiles } from './testHostileFiles.ts';

testHostileFiles(HOSTILE_STRUCTURE);
