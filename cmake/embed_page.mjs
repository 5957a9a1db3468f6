// node embed_page.mjs PAGE GZIP HASHES: compresses a page, and writes the hashes of its inline scripts as a content
// security policy wants them.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const [page, gzipFile, hashesFile] = process.argv.slice(2);
const html = readFileSync(page, "utf8");
if (!html.includes("<!-- cardhouse-report -->")) throw new Error(`${page}: has no place for a report`);
const outside = /<(?:script|link)\b[^>]*\b(?:src|href)\s*=\s*["']?(?!data:)[^\s"'>]+/i.exec(html.replace(/(<script\b[^>]*>)[^]*?<\/script>/gi, "$1"));
if (outside) throw new Error(`${page}: is not one file: it loads ${outside[0]}`);

const hashes = [...html.matchAll(/<script\b[^>]*>([^]*?)<\/script>/gi)]
  // A browser hashes the text after it has made all line ends one letter.
  .map((match) => createHash("sha256").update(match[1].replace(/\r\n?/g, "\n")).digest("base64"))
  .map((hash) => `'sha256-${hash}'`);
writeFileSync(gzipFile, gzipSync(html, { level: 9 }));
writeFileSync(hashesFile, hashes.join(" "));
