// Small files of real formats around a text.

import { crc32 } from "node:zlib";

/** One page in lines of the given length; the text must be ASCII. */
export function pdf(text, length = 80) {
  const escaped = (line) => line.replaceAll(/[\\()]/g, (sign) => `\\${sign}`);
  const drawn = linesOf(text, length).map((line) => `(${escaped(line)}) Tj T*`);
  const content = ["BT /F 10 Tf 12 TL 50 750 Td", ...drawn, "ET"].join("\n");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>",
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let file = "%PDF-1.7\n";
  let places = "0000000000 65535 f \n";
  objects.forEach((object, at) => {
    places += `${String(file.length).padStart(10, "0")} 00000 n \n`;
    file += `${at + 1} 0 obj\n${object}\nendobj\n`;
  });
  const size = objects.length + 1;
  const end = `xref\n0 ${size}\n${places}trailer\n<< /Root 1 0 R /Size ${size} >>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(file + end, "latin1");
}

/** One paragraph. */
export function docx(text) {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
  const body = `<w:p><w:r><w:t xml:space="preserve">${escaped}</w:t></w:r></w:p>`;
  return zip([
    ["word/document.xml", `<?xml version="1.0"?><w:document xmlns:w="${space}"><w:body>${body}</w:body></w:document>`],
    ["word/_rels/document.xml.rels", '<?xml version="1.0"?><Relationships/>'],
  ]);
}

function linesOf(text, length) {
  const lines = [""];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last.length + word.length < length) lines[lines.length - 1] = last === "" ? word : `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** An archive without compression. */
function zip(members) {
  const parts = [];
  const directory = [];
  let place = 0;
  for (const [name, text] of members) {
    const [title, bytes] = [Buffer.from(name), Buffer.from(text)];
    // Version, flags, method, time, date; then what both headers say of the member.
    const about = Buffer.alloc(26);
    about.writeUInt16LE(20, 0);
    about.writeUInt16LE(0x21, 8);
    about.writeUInt32LE(crc32(bytes), 10);
    about.writeUInt32LE(bytes.length, 14);
    about.writeUInt32LE(bytes.length, 18);
    about.writeUInt16LE(title.length, 22);
    const entry = Buffer.alloc(14);
    entry.writeUInt32LE(place, 10);
    const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), about, title, bytes]);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00", "latin1"), about, entry, title]));
    parts.push(local);
    place += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(place, 16);
  return Buffer.concat([...parts, listed, end]);
}
