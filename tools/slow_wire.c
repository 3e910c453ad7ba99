/* A switch that holds each frame back: for kernels without netem. `slow_wire MICROSECONDS INTERFACE...` joins the interfaces, in
 * the network namespace that it runs in. It learns where addresses are, as switches do; what is for all goes to all. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOST_PORTS = 16, MOST_ADDRESSES = 64, LONGEST = 1 << 17, ADDRESS = 6 };

/* A frame on its way, with the header that says what the sender has left to the network card to do. */
struct frame {
    struct frame *next;
    int64_t due;
    size_t length;
    unsigned char bytes[];
};

struct port {
    int socket;
    struct frame *first, **end;
};

static struct port ports[MOST_PORTS];
static int port_count;

static struct {
    unsigned char address[ADDRESS];
    int port;
} known[MOST_ADDRESSES];
static int known_count;

static int64_t now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return at.tv_sec * INT64_C(1000000000) + at.tv_nsec;
}

static void refuse(const char *what)
{
    perror(what);
    exit(EXIT_FAILURE);
}

static int open_port(const char *name)
{
    int on = 1, room = 16 << 20;
    int s = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, htons(ETH_P_ALL));
    struct sockaddr_ll at = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL)};
    at.sll_ifindex = (int)if_nametoindex(name);
    if (s < 0 || at.sll_ifindex == 0 || bind(s, (struct sockaddr *)&at, sizeof at) != 0)
        refuse(name);
    /* Frames as the sender's kernel has made them: large ones stay whole. What this program sends does not come back. */
    if (setsockopt(s, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof on) != 0 ||
        setsockopt(s, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on) != 0)
        refuse(name);
    setsockopt(s, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room);
    setsockopt(s, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof room);
    return s;
}

static int find(const unsigned char *address)
{
    for (int i = 0; i < known_count; i++)
        if (memcmp(known[i].address, address, ADDRESS) == 0)
            return i;
    return -1;
}

static void learn(const unsigned char *address, int port)
{
    int at = find(address);
    if (at < 0 && known_count < MOST_ADDRESSES) {
        at = known_count++;
        memcpy(known[at].address, address, ADDRESS);
    }
    if (at >= 0)
        known[at].port = port;
}

static void hold(struct port *port, const unsigned char *bytes, size_t length, int64_t due)
{
    struct frame *frame = malloc(sizeof *frame + length);
    if (frame == NULL)
        refuse("memory");
    *frame = (struct frame){.due = due, .length = length};
    memcpy(frame->bytes, bytes, length);
    *port->end = frame;
    port->end = &frame->next;
}

/* Takes in what has come to a port. */
static void take(int from, int64_t delay)
{
    static unsigned char bytes[LONGEST];
    for (int turn = 0; turn < 64; turn++) {
        ssize_t length = read(ports[from].socket, bytes, sizeof bytes);
        if (length < (ssize_t)(sizeof(struct virtio_net_hdr) + ETH_HLEN))
            return;
        const unsigned char *to = bytes + sizeof(struct virtio_net_hdr), *sender = to + ADDRESS;
        learn(sender, from);
        int is_for_all = to[0] & 1, at = is_for_all ? -1 : find(to);
        for (int p = 0; p < port_count; p++)
            if (p != from && (at < 0 || known[at].port == p))
                hold(&ports[p], bytes, (size_t)length, now() + delay);
    }
}

/* Sends what is due; when the next one is, or -1. */
static int64_t send_due(struct port *port)
{
    struct frame *frame;
    while ((frame = port->first) != NULL && frame->due <= now()) {
        if (write(port->socket, frame->bytes, frame->length) < 0 && (errno == EAGAIN || errno == ENOBUFS))
            return now() + 10000;
        port->first = frame->next;
        if (port->first == NULL)
            port->end = &port->first;
        free(frame);
    }
    return frame ? frame->due : -1;
}

int main(int argc, char **argv)
{
    struct pollfd waits[MOST_PORTS];
    if (argc < 3 || argc - 2 > MOST_PORTS) {
        fprintf(stderr, "usage: %s MICROSECONDS INTERFACE...\n", argv[0]);
        return 2;
    }
    int64_t delay = atoll(argv[1]) * 1000;
    prctl(PR_SET_TIMERSLACK, 1000);
    for (port_count = 0; port_count < argc - 2; port_count++) {
        ports[port_count].socket = open_port(argv[port_count + 2]);
        ports[port_count].end = &ports[port_count].first;
        waits[port_count] = (struct pollfd){.fd = ports[port_count].socket, .events = POLLIN};
    }
    for (;;) {
        int64_t next = now() + INT64_C(1000000000);
        for (int p = 0; p < port_count; p++) {
            int64_t due = send_due(&ports[p]);
            next = due >= 0 && due < next ? due : next;
        }
        int64_t rest = next - now();
        struct timespec limit = {0, rest > 0 ? (long)(rest % 1000000000) : 0};
        if (rest >= 1000000000)
            limit = (struct timespec){1, 0};
        ppoll(waits, (nfds_t)port_count, &limit, NULL);
        for (int p = 0; p < port_count; p++)
            take(p, delay);
    }
}
