// Poses by UDP: the newest packet counts, whoever sent it; forces go back to where it came from.
// Packets that are none are dropped, and so are those that are older than the last.
#include "device/device.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PACKETS_MAX 64  // read at once

typedef struct Network {
    int socket;
    bool known;  // somebody has sent a pose
    uint32_t sequence, told;
    struct sockaddr_in peer;
} Network;

// ADDRESS:PORT, or a port of this machine alone.
static bool parse_address(const char *argument, struct sockaddr_in *address)
{
    const char *colon = strrchr(argument, ':');
    const char *port = colon != NULL ? colon + 1 : argument;
    char *end, host[64] = "127.0.0.1";
    long number = strtol(port, &end, 10);
    if (end == port || *end != '\0' || number < 0 || number > 65535)
        return false;
    if (colon != NULL) {
        size_t length = (size_t)(colon - argument);
        if (length == 0 || length >= sizeof host)
            return false;
        memcpy(host, argument, length);
        host[length] = '\0';
    }
    *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)number)};
    return inet_pton(AF_INET, host, &address->sin_addr) == 1;
}

static PalStatus open_network(void *own, const char *argument, PalError *error)
{
    Network *network = own;
    struct sockaddr_in address;
    network->socket = -1;
    if (!parse_address(argument, &address))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "network: '%s', expected a port from 0 to 65535, or ADDRESS:PORT",
                             argument);
    network->socket = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (network->socket < 0 ||
        bind(network->socket, (const struct sockaddr *)&address, sizeof address) != 0)
        return pal_error_set(error, PAL_IO_FAILED, "network: cannot listen on %s: %s", argument,
                             strerror(errno));
    return PAL_OK;
}

static void read_network(void *own, double time, PalDeviceState *state)
{
    Network *network = own;
    (void)time;
    for (int i = 0; i < PACKETS_MAX; ++i) {
        unsigned char bytes[PAL_PACKET_POSE + 1];
        struct sockaddr_in peer;
        socklen_t size = sizeof peer;
        ssize_t count =
            recvfrom(network->socket, bytes, sizeof bytes, 0, (struct sockaddr *)&peer, &size);
        if (count < 0)
            return;
        uint32_t sequence;
        PalDeviceState told = *state;
        if (!pal_packet_read_pose(bytes, (size_t)count, &sequence, &told))
            continue;
        if (network->known && (int32_t)(sequence - network->sequence) <= 0 && sequence != 0)
            continue;
        *state = told;
        state->fresh = true;
        network->known = true;
        network->sequence = sequence;
        network->peer = peer;
    }
}

static bool write_network(void *own, const PalHapticForce *force)
{
    Network *network = own;
    unsigned char bytes[PAL_PACKET_FORCE];
    if (!network->known)
        return false;
    pal_packet_write_force(bytes, ++network->told, force);
    return sendto(network->socket, bytes, sizeof bytes, 0, (const struct sockaddr *)&network->peer,
                  sizeof network->peer) == (ssize_t)sizeof bytes;
}

static PalDeviceLimits limits_of_network(const void *own)
{
    (void)own;
    return (PalDeviceLimits){.force = 1e12, .torque = 1e12, .rate = 1000};
}

static void close_network(void *own)
{
    Network *network = own;
    if (network->socket >= 0)
        close(network->socket);
}

int32_t pal_device_network_port(const void *own)
{
    const Network *network = own;
    struct sockaddr_in address;
    socklen_t size = sizeof address;
    if (getsockname(network->socket, (struct sockaddr *)&address, &size) != 0)
        return 0;
    return ntohs(address.sin_port);
}

const PalDeviceRow pal_device_row_network = {
    .choice = {"network", "poses by UDP, and forces back; argument: PORT or ADDRESS:PORT"},
    .size = sizeof(Network),
    .open = open_network,
    .read = read_network,
    .write = write_network,
    .limits = limits_of_network,
    .close = close_network,
};
