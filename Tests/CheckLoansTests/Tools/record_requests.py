"""Runs a command with a web server in place of every other, and prints the requests that it got.

record_requests.py FOLDER COMMAND...: each https://HOST in the files of FOLDER, and in the environment,
becomes the server's address. The server answers 200; or 403 where a path has "refused" in it.
"""

import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import threading

requests = []


class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self):
        length = int(self.headers.get("Content-Length", 0))
        # Headers are bytes, which the library takes for Latin-1.
        headers = {
            name.lower(): value.encode("latin-1").decode() for name, value in self.headers.items()
        }
        requests.append({
            "method": self.command, "path": self.path, "headers": headers,
            "body": self.rfile.read(length).decode(),
        })
        self.send_response(403 if "refused" in self.path else 200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    do_GET = do_POST = do_PUT = answer

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
address = f"127.0.0.1:{server.server_port}"
threading.Thread(target=server.serve_forever, daemon=True).start()


def placed(text):
    return re.sub(r"(json|http)s?://[A-Za-z0-9.-]+(:\d+)?", rf"\1://{address}", text)


for path in pathlib.Path(sys.argv[1]).iterdir():
    path.write_text(placed(path.read_text()))
environment = {name: placed(value) for name, value in os.environ.items()}
command = subprocess.run(sys.argv[2:], env=environment, stdout=subprocess.PIPE, check=False)
print(json.dumps(requests))
sys.exit(command.returncode)
